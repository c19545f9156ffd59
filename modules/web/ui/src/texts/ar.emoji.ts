import type { EmojiCatalogue } from './emoji.ts';

export const ar: EmojiCatalogue = {
  searchEmoji: 'البحث عن رمز تعبيري',
  frequent: 'المستخدمة كثيرًا',
  custom: 'المخصصة',
  smileys: 'الوجوه والمشاعر',
  people: 'الأشخاص والجسم',
  animals: 'الحيوانات والطبيعة',
  food: 'الطعام والشراب',
  travel: 'السفر والأماكن',
  activities: 'الأنشطة',
  objects: 'الأشياء',
  symbols: 'الرموز',
  flags: 'الأعلام',
  skinTone: 'لون البشرة',
  noSkinTone: 'بدون لون بشرة',
  categories: 'الفئات',
};
