import type { HelpCatalogue } from './help.ts';

export const zhHans: Partial<HelpCatalogue> = {};
