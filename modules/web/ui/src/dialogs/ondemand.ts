import type { Component } from 'svelte';

/** Loader loads a dialog when it is opened. */
export interface Loader {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- dialogs have different properties
  load(): Promise<{ default: Component<any> }>;
}

/** dialogs are those that are loaded on demand. */
export const dialogs = {
  channel: { load: () => import('./ChannelDialog.svelte') },
  createChannel: { load: () => import('./CreateChannelDialog.svelte') },
  group: { load: () => import('./GroupDialog.svelte') },
  history: { load: () => import('../message/HistoryDialog.svelte') },
  invite: { load: () => import('./InviteDialog.svelte') },
  move: { load: () => import('../message/MoveDialog.svelte') },
  organizations: { load: () => import('./OrganizationsDialog.svelte') },
  pause: { load: () => import('./PauseDialog.svelte') },
  person: { load: () => import('./PersonDialog.svelte') },
  readers: { load: () => import('../message/ReadersDialog.svelte') },
  report: { load: () => import('../message/ReportDialog.svelte') },
  shortcuts: { load: () => import('./ShortcutsDialog.svelte') },
  snippets: { load: () => import('../compose/SnippetsDialog.svelte') },
  status: { load: () => import('./StatusDialog.svelte') },
  time: { load: () => import('../compose/TimeDialog.svelte') },
  viewer: { load: () => import('../message/Viewer.svelte') },
  widget: { load: () => import('../compose/WidgetDialog.svelte') },
} satisfies Record<string, Loader>;
