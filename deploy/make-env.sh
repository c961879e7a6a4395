#!/bin/sh
# Makes the three env files that the cluster profile of compose.yaml reads, with fresh secrets, readable by you alone.
# It never overwrites: the secret opens every stored key hash, and the passwords are in the volumes.
set -eu
cd "$(dirname "$0")"
for name in sextant postgres clickhouse; do
  if [ -e "$name.env" ]; then
    echo "deploy/$name.env is there already; remove all three to start over" >&2
    exit 1
  fi
done
random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}
umask 077
secret=$(random)
postgres=$(random)
clickhouse=$(random)
cat >postgres.env <<END
POSTGRES_USER=sextant
POSTGRES_DB=sextant
POSTGRES_PASSWORD=$postgres
END
cat >clickhouse.env <<END
CLICKHOUSE_USER=sextant
CLICKHOUSE_PASSWORD=$clickhouse
END
cat >sextant.env <<END
SEXTANT_SECRET=$secret
SEXTANT_DATABASE_URL=postgres://sextant:$postgres@postgres:5432/sextant
SEXTANT_CLICKHOUSE_URL=http://sextant:$clickhouse@clickhouse:8123/sextant
END
echo "made deploy/sextant.env, deploy/postgres.env and deploy/clickhouse.env"
