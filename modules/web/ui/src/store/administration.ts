import type { DataExport, ServerEvent } from '../api/types.ts';
import { Cell } from './cell.ts';

/**
 * Administration tracks lists that are not part of the registration: events report either that a list changed or its
 * new content.
 */
export class Administration {
  /** invitations is touched when the list of invitations has changed. */
  readonly invitations = new Cell();
  /** exportsChanged is touched when an event has replaced exports. */
  readonly exportsChanged = new Cell();
  readonly consentsChanged = new Cell();
  exports: DataExport[] | undefined;
  /** consents holds, by user ID, the export consents changed since the page was opened. */
  readonly consents = new Map<number, boolean>();

  reset(): void {
    this.exports = undefined;
    this.consents.clear();
    this.invitations.touch();
    this.exportsChanged.touch();
    this.consentsChanged.touch();
  }

  apply(e: ServerEvent): void {
    if (e.type === 'invites_changed') this.invitations.touch();
    if (e.type === 'realm_export') {
      this.exports = e.exports as DataExport[];
      this.exportsChanged.touch();
    }
    if (e.type === 'realm_export_consent') {
      this.consents.set(e.user_id as number, e.consented as boolean);
      this.consentsChanged.touch();
    }
  }
}
