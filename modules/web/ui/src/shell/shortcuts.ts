import { text } from '../texts/index.ts';

/** shortcuts returns the keys listed in the dialog. keys.ts implements them. */
export const shortcuts = (): { keys: string; label: string }[] => [
  { keys: 'j k', label: text.keySelect },
  { keys: 'r', label: text.keyReply },
  { keys: 'c', label: text.keyCompose },
  { keys: 'x', label: text.newDirect },
  { keys: 'n', label: text.keyNextTopic },
  { keys: 'p', label: text.keyNextDirect },
  { keys: '/', label: text.search },
  { keys: 'Ctrl+K', label: text.jump },
  { keys: 's', label: text.keyTopic },
  { keys: 'S', label: text.keyChannel },
  { keys: '+', label: text.keyThumb },
  { keys: 'Ctrl+S', label: text.star },
  { keys: '>', label: text.quote },
  { keys: 'e', label: text.editMessage },
  { keys: 'U', label: text.markUnread },
  { keys: 'End', label: text.jumpToNewest },
  { keys: 'i', label: text.inbox },
  { keys: 't', label: text.recent },
  { keys: 'a', label: text.feed },
  { keys: '*', label: text.starred },
  { keys: '@', label: text.mentions },
  { keys: 'd', label: text.drafts },
  { keys: 'Esc', label: text.keyEscape },
  { keys: '?', label: text.shortcuts },
];
