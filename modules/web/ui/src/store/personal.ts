import type {
  NavigationView,
  ProfileField,
  Reminder,
  Scheduled,
  ServerEvent,
  Settings,
  Snapshot,
  Snippet,
} from '../api/types.ts';
import { Tracked } from './cell.ts';

/** Personal holds the user's own data: settings, views, scheduled messages, reminders and snippets. */
export class Personal extends Tracked {
  settings: Settings = {};
  scheduled: Scheduled[] = [];
  reminders: Reminder[] = [];
  snippets: Snippet[] = [];
  views: NavigationView[] = [];
  alertWords: string[] = [];
  fields: ProfileField[] = [];

  reset(s: Snapshot): void {
    this.settings = s.user_settings;
    this.scheduled = s.scheduled_messages;
    this.reminders = s.reminders;
    this.snippets = s.saved_snippets;
    this.views = s.navigation_views;
    this.alertWords = s.alert_words;
    this.fields = s.custom_profile_fields;
  }

  flag(name: string): boolean {
    return this.settings[name] === true;
  }

  apply(e: ServerEvent): void {
    switch (e.type) {
      case 'user_settings':
        this.settings = { ...this.settings, [e.property as string]: e.value };
        break;
      case 'scheduled_messages':
        if (e.op === 'add') this.scheduled = [...this.scheduled, ...(e.scheduled_messages as Scheduled[])];
        if (e.op === 'update')
          this.scheduled = this.scheduled.map((s) => replaced(s, e.scheduled_message as Scheduled));
        if (e.op === 'remove') {
          this.scheduled = this.scheduled.filter((s) => s.scheduled_message_id !== e.scheduled_message_id);
        }
        break;
      case 'reminders':
        if (e.op === 'add') this.reminders = [...this.reminders, ...(e.reminders as Reminder[])];
        if (e.op === 'remove') this.reminders = this.reminders.filter((r) => r.reminder_id !== e.reminder_id);
        break;
      case 'saved_snippets':
        this.applySnippet(e);
        break;
      case 'navigation_view':
        this.applyView(e);
        break;
      case 'custom_profile_fields':
        this.fields = e.fields as ProfileField[];
        break;
      case 'alert_words':
        this.alertWords = e.alert_words as string[];
        break;
      default:
        return;
    }
  }

  private applyView(e: ServerEvent): void {
    const added = e.navigation_view as NavigationView | undefined;
    const fragment = added?.fragment ?? (e.fragment as string);
    if (e.op === 'update') {
      this.views = this.views.map((v) => (v.fragment === fragment ? { ...v, ...e.data } : v));
      return;
    }
    const rest = this.views.filter((v) => v.fragment !== fragment);
    this.views = added ? [...rest, added] : rest;
  }

  private applySnippet(e: ServerEvent): void {
    const snippet = e.saved_snippet as Snippet | undefined;
    const id = snippet?.id ?? (e.saved_snippet_id as number);
    const rest = this.snippets.filter((s) => s.id !== id);
    this.snippets = snippet ? [...rest, snippet].sort((a, b) => a.id - b.id) : rest;
  }
}

function replaced(old: Scheduled, next: Scheduled): Scheduled {
  return old.scheduled_message_id === next.scheduled_message_id ? next : old;
}
