import { field, type FieldGroup } from './fields.ts';

/** reports is where reports of messages go. */
export const reports: readonly FieldGroup[] = [
  { fields: [field('moderation_request_channel_id', { kind: 'channel', private: true })] },
];
