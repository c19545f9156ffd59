{
  // Shows how hard a new password is to guess, by the estimate of the server.
  const field = document.querySelector('input[autocomplete=new-password]');
  const line = document.querySelector('.strength');
  const valueOf = (name) => document.querySelector(`input[name=${name}]`)?.value ?? '';
  const pause = 300; // milliseconds without a key press
  let timer;
  let latest = 0;
  const estimate = async () => {
    const mine = latest;
    const body = new URLSearchParams({
      password: field.value,
      email: valueOf('email'),
      full_name: valueOf('full_name'),
    });
    const answer = await fetch('/api/v1/stoa/password/strength', { method: 'POST', body, credentials: 'omit' });
    const { score, refused } = await answer.json();
    if (!answer.ok || mine !== latest || refused === 'short' || refused === 'long') return;
    line.hidden = false;
    line.querySelector('meter').value = score;
    const text = line.querySelector('span');
    text.textContent = text.dataset[refused === 'breached' ? refused : score];
  };
  field?.addEventListener('input', () => {
    latest++;
    line.hidden = true;
    clearTimeout(timer);
    if (field.value) timer = setTimeout(() => estimate().catch(() => undefined), pause);
  });
}
