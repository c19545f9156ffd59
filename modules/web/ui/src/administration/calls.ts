import type { AuditPage, DataExport, ExportConsent } from '../api/types.ts';
import { http } from '../client.ts';

/** API calls of the administration. The store learns the effects from events. */
export const setRealm = (changes: Record<string, unknown>) => http.call('PATCH', '/realm', changes);

export const sendTestWelcome = (message: string) =>
  http.call('POST', '/realm/test_welcome_bot_custom_message', { welcome_message_custom_text: message });

export const setDefaults = (changes: Record<string, unknown>) =>
  http.call('PATCH', '/realm/user_settings_defaults', changes);

export const deactivateRealm = (keepDays: number | null) =>
  http.call('POST', '/realm/deactivate', { deletion_delay_days: keepDays });

export const updatePerson = (id: number, changes: { full_name?: string; role?: number; new_email?: string }) =>
  http.call('PATCH', `/users/${id}`, changes);

export const createPerson = (email: string, full_name: string, password: string) =>
  http.call<{ user_id: number }>('POST', '/users', { email, full_name, password }).then((a) => a.user_id);

/** Deletion selects which data of a deactivated user is deleted. */
export interface Deletion {
  delete_profile?: boolean;
  delete_public_channel_messages?: boolean;
  delete_private_channel_messages?: boolean;
  delete_direct_messages?: boolean;
}

/** deactivatePerson deactivates a user. The user is notified by email only if comment is defined; it may be empty. */
export const deactivatePerson = (id: number, comment: string | undefined, actions: Deletion) =>
  http.call('DELETE', `/users/${id}`, { deactivation_notification_comment: comment, actions });

export const reactivatePerson = (id: number) => http.call('POST', `/users/${id}/reactivate`);

export const resendInvitation = (id: number) => http.call('POST', `/invites/${id}/resend`);

export const addDomain = (domain: string, subdomains: boolean) =>
  http.call('POST', '/realm/domains', { domain, allow_subdomains: subdomains });

export const setDomain = (domain: string, subdomains: boolean) =>
  http.call('PATCH', `/realm/domains/${encodeURIComponent(domain)}`, { allow_subdomains: subdomains });

export const removeDomain = (domain: string) => http.call('DELETE', `/realm/domains/${encodeURIComponent(domain)}`);

export const dataExports = () => http.call<{ exports: DataExport[] }>('GET', '/export/realm').then((a) => a.exports);

export const startExport = (type: DataExport['export_type']) =>
  http.call('POST', '/export/realm', { export_type: type });

export const deleteExport = (id: number) => http.call('DELETE', `/export/realm/${id}`);

export const exportConsents = () =>
  http.call<{ export_consents: ExportConsent[] }>('GET', '/export/realm/consents').then((a) => a.export_consents);

/** AuditFilter selects entries of the audit log. 0 and '' select everything. */
export interface AuditFilter {
  action: string;
  since: number;
  until: number;
}

export const auditEntries = (filter: AuditFilter, before: number) =>
  http.call<AuditPage>('GET', '/audit_log', { ...filter, before });

/** auditFile returns the address of a file with the selected entries. */
export const auditFile = (filter: AuditFilter, format: 'csv' | 'jsonl') =>
  `/json/audit_log/export?${new URLSearchParams({
    action: filter.action,
    since: String(filter.since),
    until: String(filter.until),
    format,
  }).toString()}`;

export const removeIcon = () => http.call('DELETE', '/realm/icon');

export const removeLogo = (night: boolean) => http.call('DELETE', '/realm/logo', { night });
