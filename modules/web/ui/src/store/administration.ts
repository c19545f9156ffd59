import type { EventOfType } from '../api/events.ts';
import type { DataExport } from '../api/types.ts';
import { CellMap, Tracked } from './cell.ts';

/**
 * Administration tracks lists that are not part of the registration: events report either that a list changed or its
 * new content.
 */
export class Administration extends Tracked {
  /** invitations is the number of changes of the list of invitations that events have reported. */
  invitations = 0;
  exports: DataExport[] | undefined;
  /** consents holds, by user ID, the export consents changed since the page was opened. */
  readonly consents = new CellMap<number, boolean>();

  reset(): void {
    this.exports = undefined;
    this.consents.clear();
    this.invitations++;
  }

  apply(e: EventOfType<'invites_changed' | 'realm_export' | 'realm_export_consent'>): void {
    if (e.type === 'invites_changed') this.invitations++;
    if (e.type === 'realm_export') this.exports = e.exports;
    if (e.type === 'realm_export_consent') this.consents.set(e.user_id, e.consented);
  }
}
