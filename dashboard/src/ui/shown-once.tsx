/** A text that nobody sees again. It has the focus, not the cross of its dialog, which a second Enter would press. */
export function ShownOnce({ text }: { text: string }) {
  return (
    <pre className="code" tabIndex={-1} data-autofocus>
      {text}
    </pre>
  );
}
