// An import as the server describes it, for tests of how it looks.

const count = (kind, imported, converted = 0, skipped = 0, refused = 0) => ({
  kind,
  imported,
  converted,
  skipped,
  refused,
});
const reason = (kind, outcome, reason, code, n, examples = [], detail = '') => ({
  kind,
  outcome,
  reason: reason + detail,
  code,
  detail,
  count: n,
  examples,
});

export const importReport = {
  counts: [
    count('people', 212, 3),
    count('channels', 148, 2, 0, 1),
    count('messages', 1_000_210, 4_812, 96, 12),
    count('files', 18_204, 0, 1_204),
    count('reactions', 402_881, 0, 33),
    count('other records', 0, 0, 57),
  ],
  reasons: [
    reason('messages', 'converted', 'longer than a message can be; split', 'split', 4_812, [
      'garden/2024-05-22.json:1716379201',
    ]),
    reason('files', 'skipped', 'is not in the archive, which has a link to it', '', 1_204, ['F024BE7LD plan.pdf']),
    reason(
      'reactions',
      'skipped',
      'its emoji does not exist here: ',
      'no_emoji',
      33,
      ['C024/1716379201'],
      'party_parrot',
    ),
    reason('messages', 'refused', 'has no valid time', 'no_time', 12, [
      'garden/2024-05-22.json, record 2',
      'random/2024-05-23.json',
    ]),
  ],
  notes: ['The archive contains public channels only.'],
  collisions: [
    { kind: 'channels', key: 'C024BE7LD', name: 'Garden', name_here: 'Garden (2)' },
    {
      kind: 'channels',
      key: 'C024BE7LE',
      name: 'planning-of-the-new-greenhouse-behind-the-old-orangery-and-its-cellar',
      name_here: 'planning-of-the-new-greenhouse-behind-the-old-orangery-and-…',
    },
  ],
};

export const importJob = {
  id: 7,
  program: 'slack',
  file_name: 'Acme Slack export May 22 2024 - Nov 28 2026.zip',
  size: 4_812_345_678,
  received: 1_512_345_678,
  state: 'uploading',
  step: 'messages',
  messages_written: 0,
  error: '',
  choices: null,
  report: null,
  imported_realm_id: null,
  imported_realm_url: 'https://acme.example.com',
  created_at: 1_700_000_000,
  links: false,
};

export const importLinks = {
  result: 'success',
  msg: '',
  expires_at: 1_800_000_000,
  links: ['Ada Lovelace', 'Ben Bitdiddle', 'Alyssa P. Hacker'].map((name, i) => ({
    full_name: name,
    email: `${name.split(' ')[0].toLowerCase()}@example.com`,
    reset_link: `https://acme.example.com/accounts/password/reset/h7Qk2Jx9${i}vPzr4mTbW8sLdYc1NfGa6Ue`,
  })),
};
