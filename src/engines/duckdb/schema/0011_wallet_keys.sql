-- What a search of all wallets compares. `wallet_key` is the first 64 bits of the SHA-256 of the address: numbers instead of
-- 42 characters. Two wallets may have the same, and nothing is decided by it alone (wallet-key.ts). The other three are the
-- sums in billionths as they are shown: a scan compares stored numbers with bounds, and not what it has to compute first.
ALTER TABLE profile_sums ADD COLUMN wallet_key UBIGINT DEFAULT 0;
ALTER TABLE profile_sums ALTER COLUMN wallet_key SET NOT NULL;
ALTER TABLE profile_sums ADD COLUMN revenue_shown DOUBLE DEFAULT 0;
ALTER TABLE profile_sums ALTER COLUMN revenue_shown SET NOT NULL;
ALTER TABLE profile_sums ADD COLUMN volume_shown DOUBLE DEFAULT 0;
ALTER TABLE profile_sums ALTER COLUMN volume_shown SET NOT NULL;
ALTER TABLE profile_sums ADD COLUMN points_shown DOUBLE DEFAULT 0;
ALTER TABLE profile_sums ALTER COLUMN points_shown SET NOT NULL;
UPDATE profile_sums SET
    wallet_key = CAST(concat('0x', left(sha256(address), 16)) AS UBIGINT),
    revenue_shown = CAST(revenue AS DOUBLE) / 1e9,
    volume_shown = CAST(volume AS DOUBLE) / 1e9,
    points_shown = CAST(points AS DOUBLE) / 1e9;
