// Everything on these pages works without this script, except for trying operations.

const box = document.querySelector('[type=search]');

document.addEventListener('keydown', (e) => {
  if (e.key === '/' && !e.target.closest('input, textarea') && !e.ctrlKey && !e.metaKey) {
    e.preventDefault();
    box.focus();
  }
});

// On the page of results, they follow what is typed.
let latest = 0;
box.addEventListener('input', async () => {
  const results = document.getElementById('results');
  if (!results) return;
  const turn = ++latest;
  const query = new URLSearchParams(new FormData(box.form));
  const page = await (await fetch('/api/docs/search?' + query)).text();
  if (turn !== latest) return;
  const found = new DOMParser().parseFromString(page, 'text/html').getElementById('results');
  if (found) results.replaceChildren(...found.childNodes);
  history.replaceState(null, '', '?' + query);
});

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (e) => {
    e.preventDefault();
    void attempt(form, form.querySelector('pre'));
  });
}

// attempt calls the operation as the reader, whose session and CSRF token the browser has.
async function attempt(form, output) {
  let path = form.dataset.path.replace(/^\/api\/v1/, '/json');
  const values = new URLSearchParams();
  for (const input of form.querySelectorAll('input[name]')) {
    if (input.dataset.in === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (input.value !== '') values.set(input.name, input.value);
  }
  const { method } = form.dataset;
  const inQuery = method === 'GET' || method === 'DELETE';
  const response = await fetch(inQuery && values.size ? `${path}?${values}` : path, {
    method,
    headers: { 'X-CSRFToken': document.querySelector('meta[name=csrf-token]').content },
    body: inQuery ? undefined : values,
  });
  const text = await response.text();
  output.hidden = false;
  try {
    output.textContent = `${response.status}\n${JSON.stringify(JSON.parse(text), null, 2)}`;
  } catch {
    output.textContent = `${response.status}\n${text}`;
  }
}
