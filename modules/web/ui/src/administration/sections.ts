import type { Component } from 'svelte';
import type { Needs, SettingScope } from '../api/types.ts';
import type { IconName } from '../design/icons.ts';
import type { Label } from '../texts/admin.ts';
import { store } from '../client.ts';
import ModuleSettings from '../modules/ModuleSettings.svelte';
import type { FieldGroup } from './fields.ts';
import AuditLog from './AuditLog.svelte';
import BotsSection from './BotsSection.svelte';
import ChannelsSection from './ChannelsSection.svelte';
import DefaultChannelsSection from './DefaultChannelsSection.svelte';
import { defaults } from './defaults.ts';
import Domains from './Domains.svelte';
import EmojiSection from './EmojiSection.svelte';
import Exports from './Exports.svelte';
import Fields from './Fields.svelte';
import FoldersSection from './FoldersSection.svelte';
import GroupsSection from './GroupsSection.svelte';
import ImportSection from './ImportSection.svelte';
import Invitations from './Invitations.svelte';
import { joining } from './joining.ts';
import LinkifiersSection from './LinkifiersSection.svelte';
import People from './People.svelte';
import { permissions } from './permissions.ts';
import PlaygroundsSection from './PlaygroundsSection.svelte';
import Profile from './Profile.svelte';
import { profile } from './profile.ts';
import ProfileFieldsSection from './ProfileFieldsSection.svelte';
import Reports from './Reports.svelte';
import { reports } from './reports.ts';
import { rules } from './rules.ts';
import ScimTokens from './ScimTokens.svelte';

/** Section is a page of the administration at #organization/ID or #organization/ID/ITEM. */
export interface Section {
  id: string;
  label: Label;
  icon: IconName;
  /** needs is the module of the server without which there is no such section. */
  needs?: Needs;
  /** part is the heading of the section in the list of sections. */
  part: Label;
  /** allowed reports whether the current user has access. Call it in a reactive context. */
  allowed: () => boolean;
  /** component renders the section. It may accept the property item. */
  component: Component<any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** fields lists the settings that the search finds in addition to the label. */
  fields?: readonly FieldGroup[];
  /** scope is set if it shows the settings that modules declare. */
  scope?: SettingScope;
}

/** members is the access check for everybody but guests; administrators includes owners. */
export const members = () => store.can.actAsMember();
export const administrators = () => store.can.administerOrganization();
const owners = () => store.can.ownOrganization();

/** finds tells who finds a section of a module. */
export const finds = { owners, administrators, members };

/** inviters is the access check for users who may invite people or see others' invitations. */
const inviters = () => administrators() || store.can.invite() || store.can.inviteByLink();

export const sections: readonly Section[] = [
  {
    id: 'profile',
    label: 'organizationProfile',
    icon: 'building-2',
    part: 'partOrganization',
    allowed: members,
    component: Profile,
    fields: profile,
  },
  {
    id: 'people',
    label: 'peopleSection',
    icon: 'user-cog',
    part: 'partPeople',
    allowed: administrators,
    component: People,
  },
  {
    id: 'invitations',
    needs: 'invites',
    label: 'invitationsSection',
    icon: 'mail',
    part: 'partPeople',
    allowed: inviters,
    component: Invitations,
  },
  {
    id: 'domains',
    label: 'domainsSection',
    icon: 'globe',
    part: 'partPeople',
    allowed: administrators,
    component: Domains,
  },
  {
    id: 'scim',
    needs: 'scim',
    label: 'scimSection',
    icon: 'lock',
    part: 'partPeople',
    allowed: owners,
    component: ScimTokens,
  },
  {
    id: 'groups',
    needs: 'groups',
    label: 'groups',
    icon: 'users',
    part: 'partPeople',
    allowed: members,
    component: GroupsSection,
  },
  {
    id: 'channels',
    needs: 'channels',
    label: 'channels',
    icon: 'hash',
    part: 'partChannels',
    allowed: members,
    component: ChannelsSection,
  },
  {
    id: 'joining',
    label: 'joiningSection',
    icon: 'user-plus',
    part: 'partOrganization',
    allowed: members,
    component: Fields,
    fields: joining,
  },
  {
    id: 'permissions',
    label: 'permissions',
    icon: 'shield-check',
    part: 'partOrganization',
    allowed: members,
    component: Fields,
    fields: permissions,
  },
  {
    id: 'messages',
    label: 'rulesSection',
    icon: 'message-circle',
    part: 'partOrganization',
    allowed: members,
    component: Fields,
    fields: rules,
  },
  {
    id: 'defaults',
    label: 'defaultsSection',
    icon: 'sliders-horizontal',
    part: 'partOrganization',
    allowed: administrators,
    component: Fields,
    fields: defaults,
  },
  {
    id: 'extensions',
    label: 'partExtensions',
    icon: 'puzzle',
    part: 'partOrganization',
    allowed: () => members() && store.moduleSettings.of('realm').length > 0,
    component: ModuleSettings,
    scope: 'realm',
  },
  {
    id: 'channel-folders',
    needs: 'channels',
    label: 'folders',
    icon: 'folder',
    part: 'partChannels',
    allowed: members,
    component: FoldersSection,
  },
  {
    id: 'default-channels',
    needs: 'channels',
    label: 'defaultChannels',
    icon: 'list',
    part: 'partChannels',
    allowed: members,
    component: DefaultChannelsSection,
  },
  {
    id: 'emoji',
    needs: 'emoji',
    label: 'customEmoji',
    icon: 'smile',
    part: 'partContent',
    allowed: members,
    component: EmojiSection,
  },
  {
    id: 'linkifiers',
    needs: 'linkifiers',
    label: 'linkifiers',
    icon: 'link',
    part: 'partContent',
    allowed: members,
    component: LinkifiersSection,
  },
  {
    id: 'playgrounds',
    needs: 'playgrounds',
    label: 'playgrounds',
    icon: 'terminal',
    part: 'partContent',
    allowed: members,
    component: PlaygroundsSection,
  },
  {
    id: 'profile-fields',
    needs: 'profilefields',
    label: 'profileFields',
    icon: 'id-card',
    part: 'partPeople',
    allowed: administrators,
    component: ProfileFieldsSection,
  },
  {
    id: 'bots',
    needs: 'bots',
    label: 'bots',
    icon: 'bot',
    part: 'partContent',
    allowed: members,
    component: BotsSection,
  },
  {
    id: 'reports',
    needs: ['reports', 'channels'],
    label: 'reportsSection',
    icon: 'flag',
    part: 'partData',
    allowed: administrators,
    component: Reports,
    fields: reports,
  },
  {
    id: 'exports',
    needs: 'exports',
    label: 'exportsSection',
    icon: 'download',
    part: 'partData',
    allowed: administrators,
    component: Exports,
  },
  {
    id: 'import',
    needs: 'imports',
    label: 'importSection',
    icon: 'folder-input',
    part: 'partData',
    allowed: () => owners() && store.realm.offersImports,
    component: ImportSection,
  },
  {
    id: 'audit',
    needs: 'audit',
    label: 'auditSection',
    icon: 'history',
    part: 'partData',
    allowed: owners,
    component: AuditLog,
  },
];
