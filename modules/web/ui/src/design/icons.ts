/** icons are the names of the icons that the page contains, from the set Lucide. */
export const icons = [
  'archive', 'arrow-down', 'arrow-left', 'at-sign', 'bell', 'bell-off', 'bold', 'calendar-clock', 'check', 'chevron-down',
  'chevron-right', 'circle-check', 'clock', 'code', 'copy', 'corner-up-left', 'ellipsis-vertical', 'eye', 'file-text',
  'folder-input', 'hash', 'history', 'image', 'inbox', 'info', 'italic', 'keyboard', 'layers', 'link', 'list', 'list-todo',
  'lock', 'log-out', 'mail-open', 'menu', 'message-circle', 'message-square-plus', 'pencil', 'pin', 'plus', 'quote',
  'rotate-cw', 'search', 'send', 'settings', 'smile', 'smile-plus', 'star', 'trash-2', 'triangle-alert', 'upload',
  'user-plus', 'users', 'vote', 'wifi-off', 'x',
] as const;

export type IconName = (typeof icons)[number];
