/** loadPicker loads the choice of emoji, with their groups, names and keywords. */
export const loadPicker = () => import('./EmojiPicker.svelte');
