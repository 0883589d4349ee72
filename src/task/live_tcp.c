// SPDX-License-Identifier: GPL-2.0-only
/* live_tcp.c - a TCP connection of a team to itself over the loopback device */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "task/live_private.h"

static int tcp_socket(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int without_delay(int fd)
{
	const int one = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

/* closes what is open; errno stays that of the call that failed */
static int give_up(struct channel *channel, int listener)
{
	int saved = errno;

	live_channel_close(channel);
	channel->receive_fd = -1;
	channel->send_fd = -1;
	if (listener >= 0)
		close(listener);
	errno = saved;
	return -1;
}

/* a port that the kernel chooses; the backlog completes the connection before it is accepted */
int live_tcp_open(struct channel *channel)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *generic = (struct sockaddr *)&address;
	socklen_t length = sizeof(address);
	int listener = tcp_socket();

	if (listener < 0 || bind(listener, generic, length) || listen(listener, 1) ||
	    getsockname(listener, generic, &length))
		return give_up(channel, listener);
	channel->send_fd = tcp_socket();
	if (channel->send_fd < 0 || connect(channel->send_fd, generic, length))
		return give_up(channel, listener);
	channel->receive_fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (channel->receive_fd < 0 || without_delay(channel->send_fd) ||
	    without_delay(channel->receive_fd))
		return give_up(channel, listener);
	close(listener);
	return 0;
}
