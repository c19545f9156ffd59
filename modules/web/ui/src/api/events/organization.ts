import type {
  AllowedDomain,
  CustomEmoji,
  DataExport,
  ExportConsent,
  Linkifier,
  Playground,
  SettingScope,
} from '../types.ts';

/** Events about the organization and the server, by type and op. */
export interface OrganizationEvents {
  /** property is named as in the snapshot, without the prefix realm_. */
  'realm/update': { property: string; value: unknown };
  'realm/update_dict': { property: string; data: Record<string, unknown> };
  'realm/deactivated': { realm_id: number };
  'realm_emoji/update': { realm_emoji: Record<string, CustomEmoji> };
  'realm_emoji/add': { emoji: CustomEmoji };
  'realm_emoji/update_one': { emoji_id: string; data: Pick<CustomEmoji, 'deactivated'> };
  realm_linkifiers: { realm_linkifiers: Linkifier[] };
  realm_playgrounds: { realm_playgrounds: Playground[] };
  'realm_domains/add': { realm_domain: AllowedDomain };
  'realm_domains/change': { realm_domain: AllowedDomain };
  'realm_domains/remove': { domain: string };
  'realm_user_settings_defaults/update': { property: string; value: unknown };
  'stoa_settings/update': {
    scope: SettingScope;
    user_id?: number;
    channel_id?: number;
    key: string;
    value: unknown;
  };
  realm_export: { exports: DataExport[] };
  realm_export_consent: ExportConsent;
  /** The list of invitations has changed. */
  invites_changed: unknown;
  /** The server responds to a poll that no other event has ended. */
  heartbeat: unknown;
  restart: { server_generation: number };
}
