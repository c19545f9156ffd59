import type { AdminCatalogue } from './admin.ts';

export const ja: Partial<AdminCatalogue> = {};
