/** The flag of a country as the two letters that systems draw as one; where they cannot, the letters are the flag. */
export function Flag({ code }: { code: string }) {
  if (!/^[A-Z]{2}$/.test(code)) return <span className="flag" aria-hidden="true" />;
  const letters = code.split("").map((letter) => String.fromCodePoint(0x1f1e6 + letter.charCodeAt(0) - 65));
  return (
    <span className="flag" aria-hidden="true">
      {letters.join("")}
    </span>
  );
}
