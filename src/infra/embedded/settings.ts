/** A setting of our own that says which start brought the server up; every connection can read it. */
export const startMark = 'surplus.started_by'

/** The settings of a server of ours, for its command line: two cores, loopback only, bulk loads, one log file. */
export function serverSettings(port: number, startedBy: string, throwaway: boolean): string[] {
  return Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    // A socket's path may have 107 bytes at most, and a data folder may lie deeper.
    unix_socket_directories: '',
    max_connections: 100,
    shared_buffers: '256MB',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    max_wal_size: '2GB',
    // Nothing replicates from here, and a load into a new table then skips the log.
    wal_level: 'minimal',
    max_wal_senders: 0,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...(throwaway ? { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' } : {}),
    [startMark]: startedBy,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
