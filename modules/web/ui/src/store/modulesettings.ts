import type { EventOfType } from '../api/events.ts';
import type { ModuleSetting, SettingScope, Snapshot } from '../api/types.ts';
import { Tracked } from './cell.ts';

/** ModuleSettings holds the settings that modules of the server declare, with their values. */
export class ModuleSettings extends Tracked {
  private all: Record<SettingScope, ModuleSetting[]> = { realm: [], user: [], channel: [] };

  reset(s: Snapshot): void {
    this.all = s.stoa_settings ?? { realm: [], user: [], channel: [] };
  }

  of(scope: SettingScope): ModuleSetting[] {
    return this.all[scope];
  }

  /** value returns the value of the organization or the user, or that of a channel. */
  value(setting: ModuleSetting, channel?: number): unknown {
    return channel === undefined ? setting.value : (setting.values?.[channel] ?? setting.default);
  }

  apply(e: EventOfType<'stoa_settings'>): void {
    const { channel_id: channel, value } = e;
    const changed = (s: ModuleSetting): ModuleSetting =>
      channel === undefined ? { ...s, value } : { ...s, values: { ...s.values, [channel]: value } };
    this.all = { ...this.all, [e.scope]: this.all[e.scope].map((s) => (s.key === e.key ? changed(s) : s)) };
  }
}
