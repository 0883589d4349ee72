// SPDX-License-Identifier: GPL-2.0-only
/*
 * elf.c - which symbols a set of object files uses and does not define, and how
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "ksched/build/internal.h"

struct reference {
	char *name;
	unsigned int use;
	bool weak, defined;
};

struct object {
	const char *path, *data;
	size_t length;
	const Elf64_Shdr *section;
	int n_sections;
};

/* A relocation that only a call or jump makes, so its symbol is a function. */
static bool is_call(int machine, unsigned int type)
{
	switch (machine) {
	case EM_X86_64:
		return type == R_X86_64_PLT32;
	case EM_AARCH64:
		return type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26;
	default:
		return false;
	}
}

static struct error *damaged(const struct object *o)
{
	return error_new(ERR_INPUT, "%s is no 64-bit ELF object", o->path);
}

static bool inside(const struct object *o, uint64_t offset, uint64_t size)
{
	return offset <= o->length && size <= o->length - offset;
}

static struct error *open_object(struct object *o)
{
	const Elf64_Ehdr *header = (const void *)o->data;

	if (o->length < sizeof(*header) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr) ||
	    !inside(o, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
		return damaged(o);
	o->section = (const void *)(o->data + header->e_shoff);
	o->n_sections = header->e_shnum;
	for (int i = 0; i < o->n_sections; i++)
		if (o->section[i].sh_type != SHT_NOBITS &&
		    !inside(o, o->section[i].sh_offset, o->section[i].sh_size))
			return damaged(o);
	return NULL;
}

static const Elf64_Shdr *find_section(const struct object *o, unsigned int type)
{
	for (int i = 0; i < o->n_sections; i++)
		if (o->section[i].sh_type == type)
			return &o->section[i];
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct reference *)a)->name, ((const struct reference *)b)->name);
}

/* How each symbol of the object's table is used, by its index. */
static void count_uses(const struct object *o, unsigned int *use, size_t n)
{
	const Elf64_Ehdr *header = (const void *)o->data;

	for (int i = 0; i < o->n_sections; i++) {
		const Elf64_Shdr *s = &o->section[i];
		const Elf64_Rela *r = (const void *)(o->data + s->sh_offset);

		if (s->sh_type != SHT_RELA)
			continue;
		for (size_t k = 0; k < s->sh_size / sizeof(*r); k++) {
			size_t symbol = ELF64_R_SYM(r[k].r_info);

			if (symbol < n)
				use[symbol] |= is_call(header->e_machine, ELF64_R_TYPE(r[k].r_info))
						       ? SYMBOL_CALLED
						       : SYMBOL_ADDRESSED;
		}
	}
}

static struct error *read_object(struct object *o, struct reference **all, int *n_all)
{
	struct error *error = open_object(o);
	const Elf64_Shdr *table, *strings;
	const Elf64_Sym *symbol;
	unsigned int *use;
	size_t n;

	if (error)
		return error;
	table = find_section(o, SHT_SYMTAB);
	if (!table || table->sh_link >= (unsigned int)o->n_sections)
		return damaged(o);
	strings = &o->section[table->sh_link];
	symbol = (const void *)(o->data + table->sh_offset);
	n = table->sh_size / sizeof(*symbol);
	if (!strings->sh_size || o->data[strings->sh_offset + strings->sh_size - 1])
		return damaged(o);
	use = memory_zeroed(n, sizeof(*use));
	count_uses(o, use, n);
	for (size_t i = 1; i < n; i++) {
		struct reference *ref;

		if (ELF64_ST_BIND(symbol[i].st_info) == STB_LOCAL ||
		    symbol[i].st_name >= strings->sh_size)
			continue;
		ref = array_append(*all, *n_all);
		ref->name = memory_string(o->data + strings->sh_offset + symbol[i].st_name);
		ref->defined = symbol[i].st_shndx != SHN_UNDEF;
		ref->weak = ELF64_ST_BIND(symbol[i].st_info) == STB_WEAK;
		ref->use = use[i];
	}
	free(use);
	return NULL;
}

/* References of one name, sorted next to each other, become one symbol if none defines it. */
static void collect(struct reference *all, int n, struct symbols *out)
{
	for (int i = 0, end; i < n; i = end) {
		bool defined = false, weak = true;
		unsigned int use = 0;

		for (end = i; end < n && !strcmp(all[end].name, all[i].name); end++) {
			defined |= all[end].defined;
			weak &= all[end].weak;
			use |= all[end].use;
		}
		if (!defined) {
			struct symbol *s = array_append(out->item, out->n);

			s->name = memory_string(all[i].name);
			s->use = use;
			s->weak = weak;
		}
	}
}

struct error *elf_undefined(const struct words *objects, struct symbols *out)
{
	struct reference *all = NULL;
	struct error *error = NULL;
	int n = 0;

	*out = (struct symbols){ 0 };
	for (int i = 0; i < objects->n && !error; i++) {
		struct object o = { .path = objects->item[i] };
		char *data;

		error = file_read(o.path, &data, &o.length);
		if (error)
			break;
		o.data = data;
		error = read_object(&o, &all, &n);
		free(data);
	}
	if (!error && n) {
		qsort(all, n, sizeof(*all), by_name);
		collect(all, n, out);
	}
	for (int i = 0; i < n; i++)
		free(all[i].name);
	free(all);
	return error;
}

void symbols_free(struct symbols *s)
{
	for (int i = 0; i < s->n; i++)
		free(s->item[i].name);
	free(s->item);
	*s = (struct symbols){ 0 };
}
