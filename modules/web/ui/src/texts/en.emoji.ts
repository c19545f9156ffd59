/** emoji contains the texts for choosing an emoji. The names of emoji come from Unicode. */
export const emoji = {
  searchEmoji: 'Search emoji',
  frequent: 'Frequently used',
  custom: 'Custom',
  smileys: 'Smileys and emotion',
  people: 'People and body',
  animals: 'Animals and nature',
  food: 'Food and drink',
  travel: 'Travel and places',
  activities: 'Activities',
  objects: 'Objects',
  symbols: 'Symbols',
  flags: 'Flags',
  skinTone: 'Skin tone',
  noSkinTone: 'No skin tone',
  categories: 'Categories',
};
