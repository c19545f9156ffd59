// A small archive of Slack, as its export writes it.

/** crc32 returns the checksum of ZIP files. */
function crc32(bytes) {
  let c = ~0;
  for (const b of bytes) {
    c ^= b;
    for (let i = 0; i < 8; i++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
  }
  return ~c >>> 0;
}

/** zip returns a ZIP file without compression. */
function zip(files) {
  const local = [];
  const central = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const [path, data] = [Buffer.from(name), Buffer.from(content)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // version
    common.writeUInt16LE(0x0800, 2); // names are UTF-8
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(path.length, 22);
    local.push(Buffer.from('PK\x03\x04', 'latin1'), common, path, data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, path);
    offset += 30 + path.length + data.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const n = Object.keys(files).length;
  end.writeUInt16LE(n, 8);
  end.writeUInt16LE(n, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

/** slackArchive returns an archive with two people, a channel, a direct conversation and one bad record. */
export function slackArchive(padding = 0) {
  const person = (id, name, more = {}) => ({
    id,
    name: name.toLowerCase(),
    profile: { real_name: name, email: `${name.toLowerCase()}@example.com` },
    ...more,
  });
  return zip({
    'users.json': JSON.stringify([
      person('U1', 'Ada', { is_admin: true, is_owner: true, is_primary_owner: true }),
      person('U2', 'Ben'),
    ]),
    'channels.json': JSON.stringify([
      { id: 'C1', name: 'garden', is_general: true, members: ['U1', 'U2'], created: 1716379200 },
      { id: 'C2', name: 'Garden', members: ['U1', 'U2'], created: 1716379200 },
    ]),
    'dms.json': JSON.stringify([{ id: 'D1', members: ['U1', 'U2'], created: 1716379200 }]),
    'garden/2024-05-22.json': JSON.stringify([
      { type: 'message', user: 'U1', text: 'hello <@U2>', ts: '1716379201.000100' },
      { type: 'message', user: 'U2', text: 'when?', ts: 'never' },
    ]),
    'D1/2024-05-22.json': JSON.stringify([
      { type: 'message', user: 'U1', text: 'in private', ts: '1716379202.000100' },
    ]),
    ...(padding ? { 'integration_logs.json': JSON.stringify([' '.repeat(padding)]) } : {}),
  });
}
