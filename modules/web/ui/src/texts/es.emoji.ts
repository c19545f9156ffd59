import type { EmojiCatalogue } from './emoji.ts';

export const es: EmojiCatalogue = {
  searchEmoji: 'Buscar emoji',
  frequent: 'Frecuentes',
  custom: 'Personalizados',
  smileys: 'Caras y emociones',
  people: 'Personas y cuerpo',
  animals: 'Animales y naturaleza',
  food: 'Comida y bebida',
  travel: 'Viajes y lugares',
  activities: 'Actividades',
  objects: 'Objetos',
  symbols: 'Símbolos',
  flags: 'Banderas',
  skinTone: 'Tono de piel',
  noSkinTone: 'Sin tono de piel',
  categories: 'Categorías',
};
