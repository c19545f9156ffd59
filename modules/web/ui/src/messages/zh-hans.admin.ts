import type { AdminCatalogue } from './admin.ts';

export const zhHans: Partial<AdminCatalogue> = {};
