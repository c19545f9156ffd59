import type { EventOfType } from '../api/events.ts';
import type {
  NavigationView,
  ProfileField,
  QuietHours,
  Reminder,
  Scheduled,
  Settings,
  Snapshot,
  Snippet,
} from '../api/types.ts';
import { Tracked } from './cell.ts';
import { runs } from './realm.ts';

type PersonalEvent = EventOfType<
  | 'user_settings'
  | 'scheduled_messages'
  | 'reminders'
  | 'saved_snippets'
  | 'navigation_view'
  | 'custom_profile_fields'
  | 'alert_words'
  | 'do_not_disturb'
>;

/** Personal holds the user's own data: settings, views, scheduled messages, reminders and snippets. */
export class Personal extends Tracked {
  settings: Settings = {};
  scheduled: Scheduled[] = [];
  reminders: Reminder[] = [];
  snippets: Snippet[] = [];
  views: NavigationView[] = [];
  alertWords: string[] = [];
  quiet: QuietHours | undefined;
  fields: ProfileField[] = [];

  reset(s: Snapshot): void {
    this.settings = s.user_settings;
    // Messages to channels remain scheduled on a server that has stopped running channels.
    const channels = runs(s.stoa_modules, 'channels');
    this.scheduled = s.scheduled_messages.filter((m) => channels || m.type !== 'stream');
    this.reminders = s.reminders;
    this.snippets = s.saved_snippets;
    this.views = s.navigation_views;
    this.alertWords = s.alert_words;
    this.quiet = s.do_not_disturb;
    this.fields = s.custom_profile_fields;
  }

  flag(name: string): boolean {
    return this.settings[name] === true;
  }

  apply(e: PersonalEvent): void {
    switch (e.type) {
      case 'user_settings':
        this.settings = { ...this.settings, [e.property]: e.value };
        break;
      case 'scheduled_messages':
        this.applyScheduled(e);
        break;
      case 'reminders':
        if (e.op === 'add') this.reminders = [...this.reminders, ...e.reminders];
        else this.reminders = this.reminders.filter((r) => r.reminder_id !== e.reminder_id);
        break;
      case 'saved_snippets':
        this.applySnippet(e);
        break;
      case 'navigation_view':
        this.applyView(e);
        break;
      case 'custom_profile_fields':
        this.fields = e.fields;
        break;
      case 'alert_words':
        this.alertWords = e.alert_words;
        break;
      case 'do_not_disturb':
        this.quiet = e;
        break;
    }
  }

  private applyScheduled(e: EventOfType<'scheduled_messages'>): void {
    if (e.op === 'add') this.scheduled = [...this.scheduled, ...e.scheduled_messages];
    if (e.op === 'update') {
      const next = e.scheduled_message;
      const { scheduled_message_id: id } = next;
      this.scheduled = this.scheduled.map((s) => (s.scheduled_message_id === id ? next : s));
    }
    if (e.op === 'remove') {
      this.scheduled = this.scheduled.filter((s) => s.scheduled_message_id !== e.scheduled_message_id);
    }
  }

  private applyView(e: EventOfType<'navigation_view'>): void {
    const fragment = e.op === 'add' ? e.navigation_view.fragment : e.fragment;
    if (e.op === 'update') {
      this.views = this.views.map((v) => (v.fragment === fragment ? { ...v, ...e.data } : v));
      return;
    }
    const rest = this.views.filter((v) => v.fragment !== fragment);
    this.views = e.op === 'add' ? [...rest, e.navigation_view] : rest;
  }

  private applySnippet(e: EventOfType<'saved_snippets'>): void {
    const id = e.op === 'remove' ? e.saved_snippet_id : e.saved_snippet.id;
    const rest = this.snippets.filter((s) => s.id !== id);
    this.snippets = e.op === 'remove' ? rest : [...rest, e.saved_snippet].sort((a, b) => a.id - b.id);
  }
}
