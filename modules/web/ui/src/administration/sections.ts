import type { Component } from 'svelte';
import type { IconName } from '../design/icons.ts';
import type { Label } from '../messages/admin.ts';
import type { FieldGroup } from './fields.ts';
import BotsSection from './BotsSection.svelte';
import ChannelsSection from './ChannelsSection.svelte';
import DefaultChannelsSection from './DefaultChannelsSection.svelte';
import EmojiSection from './EmojiSection.svelte';
import FoldersSection from './FoldersSection.svelte';
import GroupsSection from './GroupsSection.svelte';
import LinkifiersSection from './LinkifiersSection.svelte';
import PlaygroundsSection from './PlaygroundsSection.svelte';
import Profile from './Profile.svelte';
import { profile } from './profile.ts';
import ProfileFieldsSection from './ProfileFieldsSection.svelte';
import { Role, role } from './rights.ts';

/** Section is a page of the administration. Its address is #organization/ID, or #organization/ID/ITEM. */
export interface Section {
  id: string;
  label: Label;
  icon: IconName;
  /** part is the heading under which the list of sections shows it. */
  part: Label;
  /** sees tells whether the reader may see the section. It is called where changes of rights are watched. */
  sees: () => boolean;
  /** component fills the section; it may take the property item. */
  component: Component<any>;
  /** fields are the settings that the search finds, beside the label. */
  fields?: readonly FieldGroup[];
}

/** members lets everybody but guests see a section, administrators only administrators and owners. */
export const members = () => role() <= Role.member;
export const administrators = () => role() <= Role.administrator;

export const sections: readonly Section[] = [
  {
    id: 'profile',
    label: 'organizationProfile',
    icon: 'building-2',
    part: 'partOrganization',
    sees: members,
    component: Profile,
    fields: profile,
  },
  { id: 'groups', label: 'groups', icon: 'users', part: 'partPeople', sees: members, component: GroupsSection },
  {
    id: 'channels',
    label: 'channels',
    icon: 'hash',
    part: 'partChannels',
    sees: members,
    component: ChannelsSection,
  },
  {
    id: 'channel-folders',
    label: 'folders',
    icon: 'folder',
    part: 'partChannels',
    sees: members,
    component: FoldersSection,
  },
  {
    id: 'default-channels',
    label: 'defaultChannels',
    icon: 'list',
    part: 'partChannels',
    sees: members,
    component: DefaultChannelsSection,
  },
  { id: 'emoji', label: 'customEmoji', icon: 'smile', part: 'partContent', sees: members, component: EmojiSection },
  {
    id: 'linkifiers',
    label: 'linkifiers',
    icon: 'link',
    part: 'partContent',
    sees: members,
    component: LinkifiersSection,
  },
  {
    id: 'playgrounds',
    label: 'playgrounds',
    icon: 'terminal',
    part: 'partContent',
    sees: members,
    component: PlaygroundsSection,
  },
  {
    id: 'profile-fields',
    label: 'profileFields',
    icon: 'id-card',
    part: 'partPeople',
    sees: administrators,
    component: ProfileFieldsSection,
  },
  { id: 'bots', label: 'bots', icon: 'bot', part: 'partContent', sees: members, component: BotsSection },
];
