import type { HelpCatalogue } from './help.ts';

export const ar: Partial<HelpCatalogue> = {};
