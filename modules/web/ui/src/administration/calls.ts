import { http } from '../app.ts';

/** Operations of the administration. The store learns of their effects by events. */
export const setRealm = (changes: Record<string, unknown>) => http.call('PATCH', '/realm', changes);

export const setDefaults = (changes: Record<string, unknown>) =>
  http.call('PATCH', '/realm/user_settings_defaults', changes);

export const removeIcon = () => http.call('DELETE', '/realm/icon');

export const removeLogo = (night: boolean) => http.call('DELETE', '/realm/logo', { night });
