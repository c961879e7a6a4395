/** The two letters of a country. Flags would be pictures that not every system has. */
export function Flag({ code }: { code: string }) {
  if (!/^[A-Z]{2}$/.test(code)) return null;
  return (
    <span className="flag" aria-hidden="true">
      {code}
    </span>
  );
}
