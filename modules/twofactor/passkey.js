{
  // Asks the browser for a passkey, and sends it with the form.
  const form = document.querySelector('form.passkey');
  form.hidden = !globalThis.PublicKeyCredential;
  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    try {
      form.elements.credential.value = await passkeyFor(form.dataset.options);
      form.submit();
    } catch {
      document.querySelector('.failed').hidden = false;
    }
  });
}
