// SPDX-License-Identifier: GPL-2.0-only
/* live_spool.c - raw pages of the CPUs' ring buffers: read, held, merged by time */
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "events/live_private.h"

#define CHUNK_SIZE  (1u << 20)
#define PAGE_HEAD   16	       /* time stamp and commit of a page on 64 bits; 12 on 32 */
#define COMMIT_MASK 0x07ffffff /* of the commit word; above are flags about missed events */

/* the size of a sub-buffer: 4096, or what buffer_subbuf_size_kb says since Linux 6.8 */
static size_t page_size(struct tracefs_instance *instance)
{
	long long kilobytes = 0;

	if (!tracefs_instance_file_read_number(instance, "buffer_subbuf_size_kb", &kilobytes) &&
	    kilobytes > 0)
		return (size_t)kilobytes * 1024;
	return (size_t)sysconf(_SC_PAGESIZE);
}

struct error *spool_open(struct tracefs_instance *instance, struct spool *spool)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	spool->page_size = page_size(instance);
	spool->page = memory_zeroed(spool->page_size, 1);
	for (int cpu = 0; cpu < (n > 0 ? n : 1); cpu++) {
		autofree char *file = memory_format("per_cpu/cpu%d/trace_pipe_raw", cpu);
		struct spool_cpu *one;
		int fd;

		if (!tracefs_file_exists(instance, file))
			continue;
		fd = tracefs_instance_file_open(instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			return error_errno("cannot open %s of the tracefs instance", file);
		one = array_append(spool->cpus, spool->n);
		one->cpu = cpu;
		one->fd = fd;
	}
	if (!spool->n)
		return error_new(ERR_UNAVAILABLE, "the tracefs instance has no buffers of CPUs");
	return NULL;
}

void spool_close(struct spool *spool)
{
	for (int i = 0; i < spool->n; i++) {
		if (spool->cpus[i].fd >= 0)
			close(spool->cpus[i].fd);
		spool->cpus[i].fd = -1;
	}
}

static void free_chunks(struct spool_cpu *cpu)
{
	while (cpu->first) {
		struct spool_chunk *chunk = cpu->first;

		cpu->first = chunk->next;
		munmap(chunk, chunk->size);
	}
	cpu->last = NULL;
}

void spool_clear(struct spool *spool)
{
	spool_close(spool);
	for (int i = 0; i < spool->n; i++) {
		free_chunks(&spool->cpus[i]);
		if (spool->cpus[i].page)
			kbuffer_free(spool->cpus[i].page);
	}
	free(spool->cpus);
	free(spool->page);
	*spool = (struct spool){ 0 };
}

/* ---- reading ---- */

/* room for @size bytes at the end; not copied into processes that are forked */
static unsigned char *make_room(struct spool_cpu *cpu, size_t size)
{
	struct spool_chunk *chunk = cpu->last;
	size_t all = sizeof(*chunk) + (size > CHUNK_SIZE ? size : CHUNK_SIZE);

	if (!chunk || chunk->size - sizeof(*chunk) - chunk->used < size) {
		chunk = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (chunk == MAP_FAILED)
			return NULL;
		madvise(chunk, all, MADV_DONTFORK);
		chunk->size = all;
		if (cpu->last)
			cpu->last->next = chunk;
		else
			cpu->first = chunk;
		cpu->last = chunk;
	}
	chunk->used += size;
	return chunk->bytes + chunk->used - size;
}

/* the bytes of a page that hold records, with its head and the count of missed events behind them */
static size_t page_used(const struct spool *spool, const unsigned char *page)
{
	unsigned long commit;
	size_t used;

	memcpy(&commit, page + 8, sizeof(commit));
	used = PAGE_HEAD + (commit & COMMIT_MASK) + 8;
	used = (used + 7) & ~(size_t)7;
	return used > spool->page_size ? spool->page_size : used;
}

static uint64_t fill_cpu(struct spool *spool, struct spool_cpu *cpu)
{
	uint64_t bytes = 0;

	for (;;) {
		ssize_t got = read(cpu->fd, spool->page, spool->page_size);
		unsigned char *to;
		uint32_t used;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < PAGE_HEAD)
			return bytes;
		used = (uint32_t)page_used(spool, spool->page);
		to = make_room(cpu, used + 8);
		if (!to)
			return bytes; /* the kernel goes on to count what is lost */
		memcpy(to, &used, sizeof(used));
		memcpy(to + 8, spool->page, used);
		spool->bytes += used + 8;
		spool->read += used;
		bytes += spool->page_size;
	}
}

uint64_t spool_fill(struct spool *spool)
{
	uint64_t most = 0;

	for (int i = 0; i < spool->n; i++) {
		uint64_t bytes = fill_cpu(spool, &spool->cpus[i]);

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* ---- decoding ---- */

static struct error *tell_missed(struct spool_cpu *cpu, int missed, struct event_feed *feed)
{
	struct event_lost lost = { .cpu = cpu->cpu, .from = cpu->last_time, .to = cpu->time };

	/* the page had no room for the number: the kernel's count at the end tells it */
	if (missed < 0) {
		if (!cpu->gap_to)
			cpu->gap_from = cpu->last_time;
		cpu->gap_to = cpu->time;
		return NULL;
	}
	lost.count = (uint64_t)missed;
	cpu->lost += lost.count;
	return event_feed_lost(feed, &lost);
}

/* the first record of the next page that has one; cpu->record is NULL at the end */
static struct error *next_page(struct spool_cpu *cpu, struct event_feed *feed)
{
	cpu->record = NULL;
	while (!cpu->record) {
		struct error *error;
		uint32_t used;
		int missed;

		if (cpu->at && cpu->offset >= cpu->at->used) {
			cpu->at = cpu->at->next;
			cpu->offset = 0;
		}
		if (!cpu->at)
			return NULL;
		memcpy(&used, cpu->at->bytes + cpu->offset, sizeof(used));
		cpu->offset += used + 8;
		if (kbuffer_load_subbuffer(cpu->page, cpu->at->bytes + cpu->offset - used))
			return error_new(ERR_SYSTEM,
					 "a page of the kernel's ring buffer has a form "
					 "that is not known");
		missed = kbuffer_missed_events(cpu->page);
		cpu->record = kbuffer_read_event(cpu->page, &cpu->time);
		error = missed ? tell_missed(cpu, missed, feed) : NULL;
		if (error)
			return error;
	}
	return NULL;
}

static struct error *next_record(struct spool_cpu *cpu, struct event_feed *feed)
{
	cpu->last_time = cpu->time;
	cpu->record = kbuffer_next_event(cpu->page, &cpu->time);
	return cpu->record ? NULL : next_page(cpu, feed);
}

/* the heap of CPUs by the time of their next record: the one at 0 comes first */
static void sift_down(struct spool_cpu **heap, int n, int i)
{
	for (;;) {
		int least = i;

		for (int child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (heap[child]->time < heap[least]->time)
				least = child;
		if (least == i)
			return;
		struct spool_cpu *moved = heap[i];

		heap[i] = heap[least];
		heap[least] = moved;
		i = least;
	}
}

static struct error *merge(struct spool_cpu **heap, int n, const struct raw_decoder *decoder,
			   uint64_t horizon, struct event_feed *feed)
{
	struct error *error = NULL;

	for (int i = n / 2 - 1; i >= 0; i--)
		sift_down(heap, n, i);
	while (!error && n) {
		struct spool_cpu *cpu = heap[0];

		error = raw_decode(decoder, feed, cpu->cpu, cpu->time, cpu->record,
				   (size_t)kbuffer_event_size(cpu->page));
		if (!error)
			error = next_record(cpu, feed);
		if (!cpu->record)
			heap[0] = heap[--n];
		sift_down(heap, n, 0);
		if (!error && n)
			error = event_feed_passed(feed, heap[0]->time < horizon ? heap[0]->time
										: horizon);
	}
	return error;
}

struct error *spool_decode(struct spool *spool, const struct raw_decoder *decoder, uint64_t horizon,
			   struct event_feed *feed)
{
	autofree struct spool_cpu **heap = memory_zeroed((size_t)spool->n, sizeof(*heap));
	struct error *error = NULL;
	int n = 0;

	for (int i = 0; !error && i < spool->n; i++) {
		struct spool_cpu *cpu = &spool->cpus[i];

		if (!cpu->page)
			cpu->page = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST,
						  KBUFFER_ENDIAN_SAME_AS_HOST);
		cpu->at = cpu->first;
		cpu->offset = 0;
		error = next_page(cpu, feed);
		if (cpu->record)
			heap[n++] = cpu;
	}
	if (!error)
		error = merge(heap, n, decoder, horizon, feed);
	for (int i = 0; i < spool->n; i++)
		free_chunks(&spool->cpus[i]);
	spool->bytes = 0;
	return error;
}
