import type { EmojiCatalogue } from './emoji.ts';

export const zhHans: EmojiCatalogue = {
  searchEmoji: '搜索表情符号',
  frequent: '常用',
  custom: '自定义',
  smileys: '笑脸和情感',
  people: '人物和身体',
  animals: '动物和自然',
  food: '食物和饮料',
  travel: '旅行和地点',
  activities: '活动',
  objects: '物品',
  symbols: '符号',
  flags: '旗帜',
  skinTone: '肤色',
  noSkinTone: '无肤色',
  categories: '类别',
};
