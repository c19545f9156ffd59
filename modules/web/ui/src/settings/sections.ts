import type { Component } from 'svelte';
import type { Needs, SettingScope } from '../api/types.ts';
import type { FieldGroup } from '../administration/fields.ts';
import type { IconName } from '../design/icons.ts';
import ModuleSettings from '../modules/ModuleSettings.svelte';
import type { Label } from '../texts/admin.ts';
import Account from './Account.svelte';
import AlertWords from './AlertWords.svelte';
import Display from './Display.svelte';
import Notifications from './Notifications.svelte';
import { appearance, behaviour, dates, elsewhere, inBrowser } from './preferences.ts';
import Profile from './Profile.svelte';
import Sessions from './Sessions.svelte';

/** Section is a page of the settings at #settings/ID. */
export interface Section {
  id: string;
  label: Label;
  icon: IconName;
  /** needs is the module of the server without which there is no such section. */
  needs?: Needs;
  /** part is the heading of the section in the list of sections. */
  part: Label;
  /** help is the area of the guide about it. */
  help: string;
  component: Component<any>; // eslint-disable-line @typescript-eslint/no-explicit-any
  /** intro says what the section is about. */
  intro?: Label;
  /** fields lists the settings that the search finds in addition to the label. */
  fields?: readonly FieldGroup[];
  /** scope is set if it shows the settings that modules declare. */
  scope?: SettingScope;
}

export const sections: readonly Section[] = [
  { id: 'profile', label: 'profile', icon: 'id-card', part: 'partYou', help: 'account', component: Profile },
  { id: 'password', label: 'accountSection', icon: 'lock', part: 'partYou', help: 'account', component: Account },
  {
    id: 'sessions',
    label: 'sessions',
    icon: 'globe',
    part: 'partYou',
    help: 'account',
    component: Sessions,
    intro: 'sessionsHint',
  },
  {
    id: 'display',
    label: 'display',
    icon: 'sliders-horizontal',
    part: 'partUse',
    help: 'account',
    component: Display,
    fields: [...appearance, ...dates, ...behaviour],
  },
  {
    id: 'notifications',
    label: 'notifications',
    icon: 'bell',
    part: 'partUse',
    help: 'notifications',
    component: Notifications,
    fields: [...inBrowser, ...elsewhere],
  },
  {
    id: 'alerts',
    needs: 'alertwords',
    label: 'alertWords',
    icon: 'at-sign',
    part: 'partUse',
    help: 'notifications',
    component: AlertWords,
    intro: 'alertWordsHint',
  },
  {
    id: 'extensions',
    label: 'partExtensions',
    icon: 'puzzle',
    part: 'partExtensions',
    help: 'start',
    component: ModuleSettings,
    scope: 'user',
  },
];
