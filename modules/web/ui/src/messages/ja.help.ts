import type { HelpCatalogue } from './help.ts';

export const ja: Partial<HelpCatalogue> = {};
