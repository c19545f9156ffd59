import type { Catalogue } from './index.ts';

export const zhHans: Partial<Catalogue> = {};
