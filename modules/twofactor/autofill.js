{
  // Offers passkeys where the browser completes the address on the login page, with the form of the page for passkeys.
  const field = document.querySelector('input[name=username]');
  const link = document.querySelector('a[href^="/accounts/login/passkey"]');
  const lasts = 9 * 60_000; // milliseconds; the form expires after ten minutes
  const offer = async () => {
    if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return;
    const answer = await fetch(link.href);
    const form = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('form.passkey');
    if (!form) return;
    const renewal = new AbortController();
    setTimeout(() => {
      renewal.abort();
      void start();
    }, lasts);
    const credential = await passkeyFor(form.dataset.options, { mediation: 'conditional', signal: renewal.signal });
    document.body.append(form);
    form.elements.credential.value = credential;
    form.submit();
  };
  const start = () => offer().catch(() => undefined);
  if (field && link) void start();
}
