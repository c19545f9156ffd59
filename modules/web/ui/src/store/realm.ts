import type { EventOfType } from '../api/events.ts';
import type { GroupValue, Needs, SearchOperator, SlashCommand, Snapshot } from '../api/types.ts';
import { CellMap, Tracked } from './cell.ts';
import { setModuleOperators } from './operators.ts';

type RealmEvent = EventOfType<
  | 'realm'
  | 'realm_linkifiers'
  | 'realm_playgrounds'
  | 'realm_domains'
  | 'realm_user_settings_defaults'
  | 'default_streams'
>;

/** kept matches the names of values that are kept under their names. */
const kept = /^(realm|server|max|password|stoa)_/;

/** elsewhere names those that have a field of their own, here or in another part of the store. */
const elsewhere = new Set([
  'realm_users',
  'realm_non_active_users',
  'realm_bots',
  'realm_user_groups',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_domains',
  'realm_default_streams',
  'realm_user_settings_defaults',
  'realm_incoming_webhook_bots',
  'realm_default_external_accounts',
  'server_supported_permission_settings',
  'server_report_message_types',
  'stoa_settings',
  'stoa_slash_commands',
  'stoa_search_operators',
  'stoa_imports',
]);

/**
 * Realm holds the organization's settings and the server's limits. Single values are keyed as in the snapshot; lists
 * have fields of their own.
 */
export class Realm extends Tracked {
  linkifiers: Snapshot['realm_linkifiers'] = [];
  playgrounds: Snapshot['realm_playgrounds'] = [];
  domains: Snapshot['realm_domains'] = [];
  /** defaultChannels are the channels to which new users are subscribed. */
  defaultChannels: Snapshot['realm_default_streams'] = [];
  /** userDefaults are the settings of new users. */
  userDefaults: Snapshot['realm_user_settings_defaults'] = {};
  integrations: Snapshot['realm_incoming_webhook_bots'] = [];
  accountServices: Snapshot['realm_default_external_accounts'] = {};
  permissionRules: Snapshot['server_supported_permission_settings'] = { realm: {}, stream: {}, group: {} };
  reportTypes: Snapshot['server_report_message_types'] = [];
  slashCommands: SlashCommand[] = [];
  searchOperators: SearchOperator[] = [];
  private imports: Snapshot['stoa_imports'];
  private readonly values = new CellMap<string, unknown>();

  reset(s: Snapshot): void {
    this.values.replace(Object.entries(s).filter(([k]) => kept.test(k) && !elsewhere.has(k)));
    this.linkifiers = s.realm_linkifiers;
    this.playgrounds = s.realm_playgrounds;
    this.domains = s.realm_domains;
    this.defaultChannels = s.realm_default_streams;
    this.userDefaults = s.realm_user_settings_defaults;
    this.integrations = s.realm_incoming_webhook_bots;
    this.accountServices = s.realm_default_external_accounts;
    this.permissionRules = s.server_supported_permission_settings;
    this.reportTypes = s.server_report_message_types;
    this.slashCommands = s.stoa_slash_commands ?? [];
    this.imports = s.stoa_imports;
    this.searchOperators = s.stoa_search_operators ?? [];
    setModuleOperators(this.searchOperators.map((o) => o.name));
  }

  value(name: string): unknown {
    return this.values.get(name);
  }

  /** has reports whether the server has what a part of the client needs. */
  has(needs: Needs | undefined): boolean {
    return runs(this.values.get('stoa_modules'), needs);
  }

  /** imported names the program from which the organization was imported; '' if it was not. */
  get imported(): string {
    return this.imports?.imported_from ?? '';
  }

  /** offersImports reports whether the user may import other organizations. */
  get offersImports(): boolean {
    return this.imports?.offered ?? false;
  }

  text(name: string): string {
    const v = this.values.get(name);
    return typeof v === 'string' ? v : '';
  }

  number(name: string, otherwise: number): number {
    const v = this.values.get(name);
    return typeof v === 'number' ? v : otherwise;
  }

  flag(name: string): boolean {
    return this.values.get(name) === true;
  }

  /** limit returns a limit in seconds, or undefined if there is none. */
  limit(name: string): number | undefined {
    const v = this.values.get(name);
    return typeof v === 'number' ? v : undefined;
  }

  group(name: string): GroupValue | undefined {
    const v = this.values.get(name);
    return isGroupValue(v) ? v : undefined;
  }

  entries(): [string, unknown][] {
    return [...this.values];
  }

  apply(e: RealmEvent): void {
    switch (e.type) {
      case 'realm':
        if (e.op === 'update') this.values.set(`realm_${e.property}`, e.value);
        if (e.op === 'update_dict') {
          this.values.setAll(Object.entries(e.data).map(([name, value]) => [`realm_${name}`, value]));
        }
        break;
      case 'realm_linkifiers':
        this.linkifiers = e.realm_linkifiers;
        break;
      case 'realm_playgrounds':
        this.playgrounds = e.realm_playgrounds;
        break;
      case 'realm_domains':
        this.applyDomain(e);
        break;
      case 'realm_user_settings_defaults':
        this.userDefaults = { ...this.userDefaults, [e.property]: e.value };
        break;
      case 'default_streams':
        this.defaultChannels = e.default_streams;
        break;
    }
  }

  private applyDomain(e: EventOfType<'realm_domains'>): void {
    if (e.op === 'remove') this.domains = this.domains.filter((d) => d.domain !== e.domain);
    else if (e.op === 'add') this.domains = [...this.domains, e.realm_domain];
    else this.domains = this.domains.map((d) => (d.domain === e.realm_domain.domain ? e.realm_domain : d));
  }
}

/**
 * runs reports whether what a part of the client needs is among the modules that a server says it runs. Older servers
 * do not say it, and run all of them.
 */
export function runs(names: unknown, needs: Needs | undefined): boolean {
  return needs === undefined || !Array.isArray(names) || [needs].flat().every((n) => names.includes(n));
}

function isGroupValue(v: unknown): v is GroupValue {
  return typeof v === 'number' || (typeof v === 'object' && v !== null && 'direct_members' in v);
}
