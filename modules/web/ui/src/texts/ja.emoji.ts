import type { EmojiCatalogue } from './emoji.ts';

export const ja: EmojiCatalogue = {
  searchEmoji: '絵文字を検索',
  frequent: 'よく使う絵文字',
  custom: 'カスタム',
  smileys: '顔と感情',
  people: '人と体',
  animals: '動物と自然',
  food: '食べ物と飲み物',
  travel: '旅行と場所',
  activities: 'アクティビティ',
  objects: '物',
  symbols: '記号',
  flags: '旗',
  skinTone: '肌の色',
  noSkinTone: '肌の色なし',
  categories: 'カテゴリ',
};
