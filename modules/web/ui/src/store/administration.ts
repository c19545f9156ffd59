import type { DataExport, ServerEvent } from '../api/types.ts';
import { Cell } from './cell.ts';

/** Administration holds what events tell of lists that exist only by GET: that they changed, or what they are now. */
export class Administration {
  /** invitations changes whenever the list of invitations has. */
  readonly invitations = new Cell();
  /** exports changes with each list of data exports that an event brings. */
  readonly exportsChanged = new Cell();
  readonly consentsChanged = new Cell();
  exports: DataExport[] | undefined;
  /** consents are the answers that have changed since the page was opened, by person. */
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
