import type { EmojiCatalogue } from './emoji.ts';

export const fr: EmojiCatalogue = {
  searchEmoji: 'Rechercher un émoji',
  frequent: 'Fréquents',
  custom: 'Personnalisés',
  smileys: 'Visages et émotions',
  people: 'Personnes et corps',
  animals: 'Animaux et nature',
  food: 'Nourriture et boissons',
  travel: 'Voyages et lieux',
  activities: 'Activités',
  objects: 'Objets',
  symbols: 'Symboles',
  flags: 'Drapeaux',
  skinTone: 'Couleur de peau',
  noSkinTone: 'Sans couleur de peau',
  categories: 'Catégories',
};
