/** passkeyFor asks the browser for a passkey, and returns what the server verifies, as JSON. */
const passkeyFor = async (options, more = {}) => {
  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  const { publicKey } = JSON.parse(options);
  publicKey.challenge = bytes(publicKey.challenge);
  for (const one of publicKey.allowCredentials ?? []) one.id = bytes(one.id);
  const found = await navigator.credentials.get({ publicKey, ...more });
  const { clientDataJSON, authenticatorData, signature, userHandle } = found.response;
  return JSON.stringify({
    id: found.id,
    rawId: found.id,
    type: found.type,
    response: {
      clientDataJSON: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
      userHandle: userHandle ? text(userHandle) : undefined,
    },
  });
};
