import type { Message, Presence, Reaction, Status, Submessage } from '../types.ts';

/** Events about messages, typing, presence and status, by type and op. */
export interface MessageEvents {
  message: {
    message: Omit<Message, 'flags'>;
    flags: string[];
    /** local_message_id is the local_id of a message that this client's queue has sent. */
    local_message_id?: string;
  };
  update_message: Edited & (Moved | NotMoved);
  delete_message: { message_ids: number[] } & (
    { message_type: 'stream'; stream_id: number; topic: string } | { message_type: 'private' }
  );
  'reaction/add': Reaction & { message_id: number };
  'reaction/remove': Reaction & { message_id: number };
  submessage: Omit<Submessage, 'id'> & { submessage_id: number };
  'update_message_flags/add': {
    flag: string;
    messages: number[];
    /** all is true if the flag read was added to all messages. messages is then empty. */
    all: boolean;
  };
  'update_message_flags/remove': {
    flag: string;
    messages: number[];
    all: boolean;
    /** message_details describes the messages that became unread, by ID. */
    message_details?: Record<string, UnreadDetails>;
  };
  'typing/start': TypingEvent;
  'typing/stop': TypingEvent;
  'typing_edit_message/start': EditTypingEvent;
  'typing_edit_message/stop': EditTypingEvent;
  presence: { presences: Record<string, Presence> };
  /** Status contains only what has changed. Cleared values are empty. */
  user_status: Status & { user_id: number };
}

interface Edited {
  /** message_id is the message whose content has changed, or the first one that has moved. */
  message_id: number;
  /** message_ids contains all moved messages, or only message_id. */
  message_ids: number[];
  /** user_id is null if only the rendering has changed. */
  user_id: number | null;
  rendering_only: boolean;
  edit_timestamp: number;
  /** flags are those of message_id after the change. */
  flags: string[];
  content?: string;
  rendered_content?: string;
  is_me_message?: boolean;
}

/** Moved describes a change of topic or channel. */
interface Moved {
  /** stream_id and orig_subject name the former place. */
  stream_id: number;
  orig_subject: string;
  new_stream_id?: number;
  subject?: string;
  propagate_mode: 'change_one' | 'change_later' | 'change_all';
}

interface NotMoved {
  stream_id?: number;
  orig_subject?: undefined;
  new_stream_id?: undefined;
  subject?: undefined;
  propagate_mode?: undefined;
}

export type UnreadDetails = { mentioned?: boolean; wildcard_mentioned?: boolean } & (
  | { type: 'stream'; stream_id: number; topic: string }
  /** user_ids contains the other participants. */
  | { type: 'private'; user_ids: number[] }
);

interface Writer {
  user_id: number;
}

type TypingEvent = { sender: Writer } & (
  { message_type: 'stream'; stream_id: number; topic: string } | { message_type: 'direct'; recipients: Writer[] }
);

interface EditTypingEvent {
  sender_id: number;
  message_id: number;
  recipient: { type: 'channel'; channel_id: number; topic: string } | { type: 'direct'; user_ids: number[] };
}
