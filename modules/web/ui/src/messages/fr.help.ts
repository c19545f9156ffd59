import type { HelpCatalogue } from './help.ts';

export const fr: Partial<HelpCatalogue> = {};
