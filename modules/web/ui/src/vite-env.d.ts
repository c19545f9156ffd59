/// <reference types="svelte" />
/// <reference types="vite/client" />

// build/emoji.ts provides these modules.
declare module 'virtual:emoji-groups' {
  /** groups holds the codes of each group, separated by spaces, with a "+" after those that have skin tones. */
  const groups: Record<string, string>;
  export default groups;
}
declare module 'virtual:emoji-names/*' {
  const names: Record<string, string>;
  export default names;
}
declare module 'virtual:emoji-words/*' {
  const words: Record<string, string>;
  export default words;
}
