import { loadPicker } from '../components/loadpicker.ts';
import { loadFileCards, loadMathStyles } from '../components/content.ts';
import { parts, uploading } from '../compose/ondemand.ts';
import { dialogs } from '../dialogs/ondemand.ts';

/** pages are loaded when they are opened: most visits begin with messages. */
export const pages = {
  channels: () => import('./Channels.svelte'),
  found: () => import('../search/Found.svelte'),
  drafts: () => import('./DraftsView.svelte'),
  groups: () => import('./Groups.svelte'),
  guide: () => import('../help/Guide.svelte'),
  module: () => import('../modules/ModulePage.svelte'),
  organization: () => import('../administration/Administration.svelte'),
  scheduled: () => import('./ScheduledView.svelte'),
  settings: () => import('../settings/Settings.svelte'),
  spectator: () => import('./SpectatorHome.svelte'),
  welcome: () => import('./Welcome.svelte'),
};

/** prefetch loads what a user can open without a connection, so that the service worker has it. */
export async function prefetch(): Promise<void> {
  const { channels, drafts, found, groups, scheduled, settings, welcome } = pages;
  const menus = () => import('@floating-ui/dom');
  const suggestions = () => import('../search/suggestions.ts');
  const announcements = () => import('../shell/arrive.ts');
  const opened = Object.values(dialogs).map((dialog) => dialog.load);
  const writing = [uploading, ...Object.values(parts)];
  for (const load of [
    drafts,
    menus,
    ...writing,
    loadPicker,
    suggestions,
    announcements,
    loadMathStyles,
    loadFileCards,
    settings,
    scheduled,
    channels,
    found,
    groups,
    welcome,
    ...opened,
  ])
    await load().catch(() => undefined);
}
