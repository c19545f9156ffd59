import { field, type FieldGroup } from './fields.ts';

/** reports lists the settings for reported messages. */
export const reports: readonly FieldGroup[] = [
  { fields: [field('moderation_request_channel_id', { kind: 'channel', private: true })] },
];
