let names = $state.raw<Record<string, string>>();
let asked = false;

/** Named is an emoji as the server names it, in a reaction or a status. */
export interface Named {
  emoji_name?: string | undefined;
  emoji_code?: string | undefined;
  reaction_type?: string | undefined;
}

/**
 * emojiName returns an emoji's name in the reader's language. The names are loaded with the first emoji; until then,
 * and for custom emoji, it returns the name between colons.
 */
export function emojiName({ emoji_name, emoji_code, reaction_type }: Named): string {
  if (!asked) {
    asked = true;
    import('../texts/emojinames.ts').then(
      (loaded) => (names = loaded.names),
      () => (asked = false),
    );
  }
  const known = reaction_type === 'unicode_emoji' && emoji_code ? names?.[emoji_code] : undefined;
  return known ?? emoji_name?.replaceAll('_', ' ') ?? '';
}
