interface Policy {
  createHTML(html: string): string;
  createScriptURL(url: string): string;
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy;
}

const rules: Policy = {
  createHTML: (html) => html,
  createScriptURL(url) {
    if (!url.startsWith('/static/web/')) throw new TypeError(`${url} is not a script of the client`);
    return url;
  },
};

/** policy is the page's only Trusted Types policy. Besides this file, only content.ts creates HTML with it. */
export const policy: Policy =
  (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes?.createPolicy('stoa', rules) ?? rules;

/** scriptURL returns a script URL accepted by browsers that enforce Trusted Types. */
export function scriptURL(path: string): string {
  return policy.createScriptURL(path);
}

/** parsed parses HTML from the clipboard into a document of its own, in which nothing runs or is loaded. */
export function parsed(html: string): Document {
  return new DOMParser().parseFromString(policy.createHTML(html), 'text/html');
}
