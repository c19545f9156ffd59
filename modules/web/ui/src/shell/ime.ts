/** IME_KEY_CODE is the deprecated key code of keys that an input method has consumed. */
const IME_KEY_CODE = 229;

/**
 * ignoreInputMethods hides the keys that an input method has consumed from all components: an Enter that chooses a
 * character must neither send a message nor choose a suggestion. Safari reports it after the end of the composition,
 * when only the key code tells.
 */
export function ignoreInputMethods(): void {
  const hide = (e: KeyboardEvent) => {
    if (e.isComposing || e.keyCode === IME_KEY_CODE) e.stopImmediatePropagation();
  };
  addEventListener('keydown', hide, true);
}
