export function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" />
      <path d="M16 7 8.2 21.5M16 7l7.8 14.5M16 7v9.5M7 20.5a13.5 13.5 0 0 0 18 0" />
      <circle cx="16" cy="18.6" r="2.1" />
    </svg>
  );
}
