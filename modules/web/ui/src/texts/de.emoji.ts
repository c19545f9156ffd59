import type { EmojiCatalogue } from './emoji.ts';

export const de: EmojiCatalogue = {
  searchEmoji: 'Emoji suchen',
  frequent: 'Häufig verwendet',
  custom: 'Eigene',
  smileys: 'Smileys und Gefühle',
  people: 'Menschen und Körper',
  animals: 'Tiere und Natur',
  food: 'Essen und Trinken',
  travel: 'Reisen und Orte',
  activities: 'Aktivitäten',
  objects: 'Gegenstände',
  symbols: 'Symbole',
  flags: 'Flaggen',
  skinTone: 'Hautton',
  noSkinTone: 'Ohne Hautton',
  categories: 'Kategorien',
};
