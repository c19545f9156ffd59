{
  // Asks the browser for a passkey, and sends it with the form.
  const form = document.querySelector('form.passkey');
  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  form.hidden = !globalThis.PublicKeyCredential;
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const { publicKey } = JSON.parse(form.dataset.options);
    publicKey.challenge = bytes(publicKey.challenge);
    for (const one of publicKey.allowCredentials ?? []) one.id = bytes(one.id);
    try {
      const found = await navigator.credentials.get({ publicKey });
      const { clientDataJSON, authenticatorData, signature, userHandle } = found.response;
      form.elements.credential.value = JSON.stringify({
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
      form.submit();
    } catch {
      document.querySelector('.failed').hidden = false;
    }
  });
}
